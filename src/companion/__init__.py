"""The machine that makes a companion to a paper: pages with parameters, a ledger of claims, a site.

Its rooms, ground floor first: `claims`, `exercises`, `page`, `checks`, `site`, `teach`, `cli`. It
knows no network and no grokking: of the library it uses records and the style of figures
(`grokbook.runs`, `grokbook.plotting`).
"""
