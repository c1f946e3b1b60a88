"""Property tests are not judged by the speed of their machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("suites", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suites")
