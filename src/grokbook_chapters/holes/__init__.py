"""Chapter 04b: training sets with a hole, Table 1 of Gu et al. 2025 as counted and as measured."""
