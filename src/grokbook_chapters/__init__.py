"""A folder a chapter, named as its notebook: its plan, its runs, its claims, its own figures, its
exercises. Beside them what several share: the settings of the papers, and the page that trains."""
