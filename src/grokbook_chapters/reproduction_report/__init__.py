"""Chapter 18, which trains nothing: the ledger, what is new here, and ways to train compared."""

from companion.claims import Finding as Finding
from companion.claims import as_table as as_table
from companion.claims import choose as choose
from companion.claims import outcomes as outcomes
from companion.claims.verdicts import RULE as RULE
from companion.claims.verdicts import explained as explained
from grokbook.tasks import ModularTask as ModularTask
from grokbook_chapters.reproduction_report.entries import every_entry as every_entry
from grokbook_chapters.reproduction_report.entries import files as files
from grokbook_chapters.reproduction_report.figures import by_kind as by_kind
from grokbook_chapters.reproduction_report.new_here import own_findings as own_findings
from grokbook_chapters.reproduction_report.numbers import numbers as numbers
