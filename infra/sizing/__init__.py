"""What a deployment needs for its traffic, and what it costs: `python -m infra.sizing`.

The figures are those of the scale model and of the presets' arithmetic; nothing of the model stands twice.
"""
