"""Chapter 02a: how a network adds modulo p, by angles: built by hand, counted, and read off trained
networks."""

from companion.claims import load as load
from grokbook.runs.weights import final_weights as final_weights
from grokbook_chapters.how_a_network_adds.built import built_quadratic as built_quadratic
from grokbook_chapters.how_a_network_adds.built import built_transformer as built_transformer
from grokbook_chapters.how_a_network_adds.figures import best_few as best_few
from grokbook_chapters.how_a_network_adds.figures import clock_or_pizza as clock_or_pizza
from grokbook_chapters.how_a_network_adds.figures import explorer as explorer
from grokbook_chapters.how_a_network_adds.figures import how_many as how_many
from grokbook_chapters.how_a_network_adds.figures import turns as turns
from grokbook_chapters.how_a_network_adds.figures import waves_of_kinds as waves_of_kinds
from grokbook_chapters.how_a_network_adds.figures import without_one as without_one
from grokbook_chapters.how_a_network_adds.frequencies import fewest as fewest
from grokbook_chapters.how_a_network_adds.frequencies import score as score
from grokbook_chapters.how_a_network_adds.frequencies import wave_shares as wave_shares
from grokbook_chapters.how_a_network_adds.numbers import numbers as numbers
from grokbook_chapters.how_a_network_adds.runs import kinds as kinds
from grokbook_chapters.how_a_network_adds.runs import plan as plan
from grokbook_chapters.how_a_network_adds.trained import all_logits as all_logits
from grokbook_chapters.how_a_network_adds.trained import without_each as without_each
