"""`python -m grokbook` is the command `grokbook`."""

from companion.cli import main

if __name__ == "__main__":
    main()
