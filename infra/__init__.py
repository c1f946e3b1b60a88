"""The infrastructure: CDK stacks, and the laptop stack."""

import os

# Set before any module imports the CDK, whose bridge to Node warns at its import. The releases of Node without
# their maker's support are a list; the other two variables are switches.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20,22,24")
os.environ.setdefault("JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION", "1")
os.environ.setdefault("JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION", "1")
