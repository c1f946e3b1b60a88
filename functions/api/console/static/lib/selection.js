// Which jobs of a list are chosen: rows one by one, or all that match the filter.

/** Nothing is chosen. `ids` are those of chosen rows, in the order of the choice. */
export const NONE = Object.freeze({ isAll: false, ids: Object.freeze([]) });

/** The selection after the row was chosen, or not chosen any more. A choice of all is given up for the shown rows. */
export function toggled(selection, id, shownIds) {
  const ids = selection.isAll ? shownIds : selection.ids;
  return { isAll: false, ids: ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id] };
}

/** The selection after the box in the head of the list: every shown row, or none if all of them are chosen. */
export function toggledShown(selection, shownIds) {
  const isWhole = shownIds.length > 0 && shownIds.every((id) => isChosen(selection, id));
  return isWhole ? NONE : { isAll: false, ids: [...shownIds] };
}

/** All jobs that match the filter, shown or not. */
export const ALL = Object.freeze({ isAll: true, ids: Object.freeze([]) });

export function isChosen(selection, id) {
  return selection.isAll || selection.ids.includes(id);
}

/** Without the rows that the list does not show any more. */
export function kept(selection, shownIds) {
  if (selection.isAll) return selection;
  const ids = selection.ids.filter((id) => shownIds.includes(id));
  return ids.length === selection.ids.length ? selection : { isAll: false, ids };
}

/** What is chosen, in words; '' for nothing. */
export function inWords(selection) {
  if (selection.isAll) return 'all jobs that match the filter';
  const count = selection.ids.length;
  return count === 0 ? '' : `${count} ${count === 1 ? 'job' : 'jobs'}`;
}
