"""Claims: the ledger of what the papers say, each with a check and a verdict."""

from grokbook.claims.finding import VERDICTS as VERDICTS
from grokbook.claims.finding import Finding as Finding
from grokbook.claims.finding import all_of as all_of
from grokbook.claims.finding import band as band
from grokbook.claims.finding import enough as enough
from grokbook.claims.finding import found as found
from grokbook.claims.finding import joint as joint
from grokbook.claims.finding import judge as judge
from grokbook.claims.ledger import CheckError as CheckError
from grokbook.claims.ledger import Claim as Claim
from grokbook.claims.ledger import Outcome as Outcome
from grokbook.claims.ledger import Paper as Paper
from grokbook.claims.ledger import announced_by as announced_by
from grokbook.claims.ledger import as_table as as_table
from grokbook.claims.ledger import carrying as carrying
from grokbook.claims.ledger import choose as choose
from grokbook.claims.ledger import claim as claim
from grokbook.claims.ledger import claims as claims
from grokbook.claims.ledger import ledger as ledger
from grokbook.claims.ledger import moved as moved
from grokbook.claims.ledger import outcomes as outcomes
from grokbook.claims.runs import Runs as Runs
from grokbook.claims.runs import load as load
