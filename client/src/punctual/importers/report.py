"""Judges the jobs of a source and writes the report and the apply file."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from punctual._texts import counted
from punctual.applyfile.checking import job_error, member_error
from punctual.applyfile.model import Job
from punctual.applyfile.writing import Section, write_apply_file
from punctual.importers.compare import BUDGET, DAYS, Comparison, compare
from punctual.importers.job import SourceFile, SourceJob, Verdict
from punctual.importers.ports import Instants, ScheduleRefusedError
from punctual.importers.span import Span


@dataclass(frozen=True, slots=True)
class Judgement:
    """A job and the verdict on it. `comparison` is that of the first rule that differs, or of the last."""

    job: SourceJob
    verdict: Verdict
    why: str = ""
    comparison: Comparison | None = None


def judge(
    source: SourceFile, instants: Instants | None, span: Span, budget: int = BUDGET
) -> tuple[Judgement, ...]:
    """Judge each job; without `instants`, jobs that can be expressed are `not compared`."""
    return tuple(_judgement(job, instants, span, budget) for job in source.jobs)


def _judgement(job: SourceJob, instants: Instants | None, span: Span, budget: int) -> Judgement:
    if job.misfit is not None or job.members is None:
        return Judgement(job, Verdict.NOT_EXPRESSIBLE, job.misfit or "it has no schedule")
    if error := member_error(job.members) or job_error(job.members):
        path = ".".join(str(step) for step in error[0])
        return Judgement(
            replace(job, members=None), Verdict.NOT_EXPRESSIBLE, f"Punctual refuses {path}: {error[1]}"
        )
    if instants is None:
        return Judgement(job, Verdict.NOT_COMPARED)
    schedule = Job(job.key, job.members).schedule()
    comparison = None
    for rule in job.instants:
        try:
            comparison = compare(rule, schedule, instants, span.start, budget)
        except ScheduleRefusedError as error:
            refused = replace(job, members=None)
            return Judgement(refused, Verdict.NOT_EXPRESSIBLE, f"Punctual refuses the schedule: {error}")
        if comparison.differences:
            why = job.doubt if len(job.instants) > 1 else ""
            return Judgement(job, Verdict.DIFFERS, why, comparison)
    return Judgement(job, Verdict.SAME, "", comparison)


def report_text(judgements: Iterable[Judgement], remarks: Iterable[str] = ()) -> str:
    """Return the report: for each job its verdict, why, the first differences, and the notes; then the counts."""
    judged = list(judgements)
    lines = [line for judgement in judged for line in _lines(judgement)]
    lines.extend(remarks)
    counts = Counter(judgement.verdict for judgement in judged)
    summary = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    lines.append(f"{counted(len(judged), 'jobs')}{': ' if summary else ''}{summary}")
    return "\n".join(lines) + "\n"


def _lines(judgement: Judgement) -> list[str]:
    job = judgement.job
    where = "" if job.origin == job.key else f" ({job.origin})"
    lines = [f"{judgement.verdict.value}: {job.key}{where}{_compared(judgement.comparison)}"]
    if judgement.why:
        lines.append(f"  {judgement.why}")
    lines.extend(f"  {line}" for line in _differences(judgement.comparison))
    lines.extend(f"  note: {note}" for note in job.notes)
    # An id of the source may have line breaks, and must not look like another verdict.
    return ["".join(each if each.isprintable() else "?" for each in line) for line in lines]


def _compared(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    what = "all" if comparison.is_complete else "samples of every day and of every clock change,"
    return f", {what} {comparison.compared} instants in {DAYS} days compared"


def _differences(comparison: Comparison | None) -> list[str]:
    found = () if comparison is None else comparison.differences
    return [f"{each.shown}: source {each.in_source}, Punctual {each.in_punctual}" for each in found]


def apply_text(
    judgements: Iterable[Judgement], set_name: str, *, source: str, with_differences: bool = False
) -> str:
    """Return the apply file. Jobs that differ are comments, unless `with_differences`; misfits always are."""
    live = {Verdict.SAME, Verdict.NOT_COMPARED} | ({Verdict.DIFFERS} if with_differences else set())
    sections = [_section(each, each.verdict in live) for each in judgements]
    return write_apply_file(set_name, sections, comments=[f"Imported from {source}."])


def _section(judgement: Judgement, is_live: bool) -> Section:
    job = judgement.job
    comments = list(job.notes)
    if judgement.verdict in (Verdict.DIFFERS, Verdict.NOT_EXPRESSIBLE):
        why = "; ".join(filter(None, (judgement.why, *_differences(judgement.comparison))))
        comments.insert(0, f"{judgement.verdict.value}: {why}")
    if job.members is None:
        comments.insert(0, f"{job.key}: {job.origin}")
    elif job.origin != job.key:
        comments.insert(0, job.origin)
    made = None if job.members is None else Job(job.key, job.members)
    return Section(made, tuple(comments), is_left_out=not is_live)
