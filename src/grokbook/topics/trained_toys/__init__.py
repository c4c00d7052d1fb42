"""Chapter 11a: trained toys beside the effective theory of Liu et al. 2022."""
