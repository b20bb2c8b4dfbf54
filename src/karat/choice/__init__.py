"""Ways of choosing a clustering without labels."""
