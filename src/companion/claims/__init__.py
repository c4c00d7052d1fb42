"""Claims: the ledger of what the papers say, each with a check and a verdict."""

from companion.claims.finding import VERDICTS as VERDICTS
from companion.claims.finding import Finding as Finding
from companion.claims.finding import band as band
from companion.claims.finding import enough as enough
from companion.claims.finding import judge as judge
from companion.claims.ledger import CheckError as CheckError
from companion.claims.ledger import Claim as Claim
from companion.claims.ledger import Outcome as Outcome
from companion.claims.ledger import Paper as Paper
from companion.claims.ledger import announced_by as announced_by
from companion.claims.ledger import as_table as as_table
from companion.claims.ledger import carrying as carrying
from companion.claims.ledger import choose as choose
from companion.claims.ledger import claim as claim
from companion.claims.ledger import claims as claims
from companion.claims.ledger import findings as findings
from companion.claims.ledger import ledger as ledger
from companion.claims.ledger import moved as moved
from companion.claims.ledger import outcomes as outcomes
from companion.claims.runs import Runs as Runs
from companion.claims.runs import load as load
