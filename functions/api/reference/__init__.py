"""What the API serves about itself: its OpenAPI document, and a page that shows it and needs no other server."""
