"""What is on the screen as files: to be opened, read by other programs, or run."""
