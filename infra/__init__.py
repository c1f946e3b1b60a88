"""The infrastructure: CDK stacks, and the laptop stack."""

import os

# Set before any module imports the CDK, whose bridge to Node warns at its import. It no longer supports Node 20, which
# works and is what the project promises. A release that reaches its end later is to be decided on then.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
os.environ.setdefault("JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION", "1")
