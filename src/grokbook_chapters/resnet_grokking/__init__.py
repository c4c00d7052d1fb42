"""Chapter 10: the dictionary of pictures on ResNet-18, what its test set can show, and runs small
enough to see."""

from grokbook_chapters.resnet_grokking.runs import plan as plan
