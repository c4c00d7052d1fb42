"""Chapter 13: groups other than addition, S3 first; what equal products imply, and how many of them
one needs."""

from grokbook_chapters.groups.runs import plan as plan
