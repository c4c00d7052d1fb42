"""Build: execute the pages, make the site and the stand-alone page."""
