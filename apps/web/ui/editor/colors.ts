/** Colors of the editor: variables of the page's style sheet, so that dark and light are decided in one place. */
import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const LISTING_COLORS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)' },
  { tag: tags.heading, color: 'var(--code-keyword)', fontWeight: 'bold' },
  { tag: tags.meta, color: 'var(--code-meta)' },
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: 'bold' },
  { tag: tags.name, color: 'var(--code-name)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: 'var(--code-register)' },
  { tag: tags.propertyName, color: 'var(--code-property)' },
  { tag: tags.string, color: 'var(--code-number)' },
])

export const EDITOR_THEME = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--dim)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--line)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    maxWidth: '60ch',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-breakpoints, .breakpoints': { width: '14px', cursor: 'pointer' },
  '.breakpoint': { color: 'var(--orange)' },
  // The images of the lint package are data in style sheets, which the page's policy refuses: lines and signs instead.
  '.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint': { backgroundImage: 'none' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--orange) 1px' },
  '.cm-lintRange-warning, .cm-lintRange-info': { textDecoration: 'underline dotted var(--blue) 2px' },
  '.cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info': { content: 'normal', textAlign: 'center' },
  '.cm-lint-marker-error::before': { content: '"✖"', color: 'var(--orange)', fontSize: '11px' },
  '.cm-lint-marker-warning::before, .cm-lint-marker-info::before': {
    content: '"▲"',
    color: 'var(--blue)',
    fontSize: '10px',
  },
  '.mark-selected': { backgroundColor: 'var(--mark-selected)' },
  '.mark-finding': { backgroundColor: 'var(--mark-finding)', boxShadow: 'inset 4px 0 var(--orange)' },
  '.mark-other': { backgroundColor: 'var(--mark-other)', boxShadow: 'inset 4px 0 var(--blue)' },
  '.mark-next': { backgroundColor: 'var(--mark-next)', boxShadow: 'inset 4px 0 var(--text)' },
  // With colors of the user's own, backgrounds and shadows are not drawn: lines of different kinds take their place.
  '@media (forced-colors: active)': {
    '.mark-selected': { outline: '1px solid', outlineOffset: '-1px' },
    '.mark-finding': { outline: '2px solid', outlineOffset: '-2px' },
    '.mark-other': { outline: '2px dashed', outlineOffset: '-2px' },
    '.mark-next': { outline: '2px solid Highlight', outlineOffset: '-2px' },
  },
})
