"""One module (or small package) a chapter, named as its notebook: its plan, its runs, its claims,
its own figures."""
