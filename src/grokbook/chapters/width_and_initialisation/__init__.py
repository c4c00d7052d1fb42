"""Chapter 09: does a wider network, a special start or another optimiser bring grokking forward?"""

from grokbook.chapters.width_and_initialisation.runs import plan as plan
