"""grokbook: a tested library of grokking (delayed generalisation) and the book that runs it.

The rooms, ground floor first: `tasks`, `models`, `measures`, `theory`, `training`, `runs`, `claims`, `plotting`,
`chapters`, `page`, `check`, `build`, `cli`. A lower room never imports a higher one.
"""

__version__ = "0.1.0"
