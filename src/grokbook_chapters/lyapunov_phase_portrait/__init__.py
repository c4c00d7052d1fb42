"""Chapter 08: the x w u flow of Gu et al., where it ends, and what Lyapunov's argument shows;
nothing is trained."""
