"""TLS for calls: verified certificates, and no handshake that blocks the event loop."""

import ssl


def harden(context: ssl.SSLContext | None = None) -> ssl.SSLContext:
    """Return the context, or a new one that trusts the system's authorities, with bounded key exchanges.

    A receiver chooses the modulus of a finite-field Diffie-Hellman exchange: one of 10,000 bits costs a second
    of processor time. Under TLS 1.2 the cipher suites exclude it; under TLS 1.3 only the list of groups does.
    Python can set a single group, and P-256 is the one that TLS 1.3 requires of everyone.
    """
    if context is None:
        context = ssl.create_default_context()
        # OpenSSL ignores an error, such as a lack of descriptors, while it reads the file of authorities.
        if ssl.get_default_verify_paths().cafile and not context.cert_store_stats()["x509_ca"]:
            raise OSError("the file of the system's certificate authorities could not be read")
    context.minimum_version = max(context.minimum_version, ssl.TLSVersion.TLSv1_2)
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")
    context.set_ecdh_curve("prime256v1")
    return context
