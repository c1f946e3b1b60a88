"""The console: static files that call the public API from a browser."""
