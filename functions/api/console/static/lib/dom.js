// The one place that knows the library of components: pages import from here.
import { Fragment, cloneElement, h, render } from '../vendor/preact.mjs';
import {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from '../vendor/preact-hooks.mjs';
import htm from '../vendor/htm.mjs';

/** Markup as a tagged template: html`<p class="x">${text}</p>`. Text is always escaped. */
export const html = htm.bind(h);

export {
  Fragment, cloneElement, render, useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef,
  useState,
};
