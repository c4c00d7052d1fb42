"""`python -m grokbook` is the command `grokbook`."""

from grokbook.cli import main

if __name__ == "__main__":
    main()
