"""One file a page: a recipe of what to show, no mathematics."""
