"""Importers: the schedules of EventBridge Scheduler, QStash, crontabs and Kubernetes CronJobs as an apply file.

`punctual import SOURCE FILE…` prints the file and a report. It says for each job whether Punctual runs it at the same
instants as the source, over 400 days and all clock changes. The package needs PyYAML.
"""

from punctual.importers.crontab import CrontabReader
from punctual.importers.eventbridge import EventBridgeReader, SchedulerClient, read_live
from punctual.importers.icalendar_days import IcalendarReader
from punctual.importers.job import SourceFile, SourceJob, UnreadableSourceError, Verdict
from punctual.importers.kubernetes import KubernetesReader
from punctual.importers.ports import Instants, ScheduleRefusedError, SourceInstants
from punctual.importers.preview import PreviewInstants, preview_instants
from punctual.importers.qstash import QStashReader
from punctual.importers.report import Judgement, apply_text, judge, report_text
from punctual.importers.span import Span, span_from
from punctual.importers.targets import UrlMap, url_map

__all__ = [
    "CrontabReader",
    "EventBridgeReader",
    "IcalendarReader",
    "Instants",
    "Judgement",
    "KubernetesReader",
    "PreviewInstants",
    "QStashReader",
    "ScheduleRefusedError",
    "SchedulerClient",
    "SourceFile",
    "SourceInstants",
    "SourceJob",
    "Span",
    "UnreadableSourceError",
    "UrlMap",
    "Verdict",
    "apply_text",
    "judge",
    "preview_instants",
    "read_live",
    "report_text",
    "span_from",
    "url_map",
]
