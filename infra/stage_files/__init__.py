"""Stage files: `stages/<name>.toml` has every setting of a deployment, so that no source has to change."""
