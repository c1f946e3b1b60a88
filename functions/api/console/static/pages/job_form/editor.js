// The fields of a form of a job while one types: their errors, the preview of the schedule, and what survives the session.
import { useEffect, useMemo, useRef, useState } from '../../lib/dom.js';
import { draftOf, hold, release } from '../../lib/drafts.js';
import { errorsByField, errorsOf, scheduleErrorsOf } from '../../lib/form_errors.js';
import { scheduleOf } from '../../lib/job_form.js';
import { session } from '../../lib/session.js';
import { usePreview } from '../../ui/schedule.js';

/** What was typed in the form `name` before the API ended the session: {form, ...}, or null. */
export function useDraft(name) {
  const [draft] = useState(() => draftOf(name));
  useEffect(() => () => release(name), []);
  return draft;
}

/**
 * The form, its errors by field, and the preview of its schedule.
 *
 * @param {object} start the fields at the beginning
 * @param {object | null} draft of useDraft; its `form` is shown in place of `start`
 * @param {{name: string, more: () => object}} kept the name of the form, and what its draft has beside the fields
 */
export function useEditor(start, draft, kept) {
  const [form, setForm] = useState(draft?.form ?? start);
  const [refusal, setRefusal] = useState({ errors: [], error: null });
  const [isBusy, setIsBusy] = useState(false);
  const isDirty = useRef(draft !== null);
  const schedule = useMemo(() => scheduleOf(form), [form]);
  const preview = usePreview(schedule);
  useLeaveGuard(isDirty);
  useHolding(isDirty, kept.name, () => ({ ...kept.more(), form }));

  const refuse = (error) => setRefusal(
    [400, 422].includes(error.status) ? { errors: errorsOf(error), error: null } : { errors: [], error },
  );
  const change = (part) => {
    isDirty.current = true;
    setForm((before) => ({ ...before, ...part }));
    // The error of a field that is typed in is out of date.
    setRefusal((before) => ({ error: null, errors: withoutFields(before.errors, Object.keys(part), form.kind) }));
  };
  const submit = async (own, act) => {
    setRefusal({ errors: own, error: null });
    if (own.length || isBusy) return;
    setIsBusy(true);
    try {
      await act();
    } catch (error) {
      refuse(error);
    }
    setIsBusy(false);
  };
  const typed = preview.error?.status === 422 ? scheduleErrorsOf(preview.error) : [];
  const isRefused = refusal.errors.length > 0;
  const shown = errorsByField([...refusal.errors, ...(isRefused ? [] : typed)], form.kind);
  return {
    form, change, submit, refuse, preview, isBusy, isRefused, isRestored: draft !== null,
    fields: shown.fields, rest: shown.rest,
    error: refusal.error ?? (preview.error?.status === 422 ? null : preview.error),
    replace: setForm, settle: () => { isDirty.current = false; },
  };
}

function withoutFields(errors, names, kind) {
  return errors.filter((error) => !names.some((name) => errorsByField([error], kind).fields[name]));
}

/** The browser asks before it leaves a form with changes. */
export function useLeaveGuard(isDirty) {
  useEffect(() => {
    const ask = (event) => {
      if (isDirty.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
}

/** The form leaves the page when the session ends. What was typed then waits for the next one. */
export function useHolding(isDirty, name, draft) {
  const [tenant] = useState(session.whoami.tenant);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => () => {
    if (isDirty.current) hold(tenant, name, latest.current());
  }, []);
}
