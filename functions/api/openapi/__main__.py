"""Write the document to standard output, in the form of docs/openapi.json."""

import sys

from functions.api.openapi.document import checked_in

if __name__ == "__main__":
    sys.stdout.write(checked_in())
