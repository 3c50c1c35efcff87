/** `<heddle-editor>`: the listing in CodeMirror, in a shadow tree, whose style sheets the page's policy allows. */
import { autocompletion, closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic as Lint, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Text } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { LitElement } from 'lit'
import type { Diagnostic } from '../../../../src/diagnostic/index.ts'
import { editText } from '../state/files.ts'
import { lineMarks, lineOf, statementAt } from '../state/lines.ts'
import { type LineMark, type OpenFile, store } from '../state/store.ts'
import { toggleBreakpoint } from '../state/work.ts'
import { EDITOR_THEME, LISTING_COLORS } from './colors.ts'
import { type Fixes, fixAt, isShown, servedLints } from './fixes.ts'
import { type ServerDiagnostic, startLanguage } from './language.ts'
import { LISTING_TOKENS } from './tokens.ts'

/** Milliseconds after the last key before edits are sent to the language server. */
const MILLISECONDS_AFTER_KEY = 100

const setMarks = StateEffect.define<readonly LineMark[]>()
const setPoints = StateEffect.define<readonly number[]>()

const MARKED: Readonly<Record<LineMark['kind'], Decoration>> = {
  selected: Decoration.line({ class: 'mark-selected' }),
  finding: Decoration.line({ class: 'mark-finding' }),
  other: Decoration.line({ class: 'mark-other' }),
  next: Decoration.line({ class: 'mark-next' }),
}

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue
      const builder = new RangeSetBuilder<Decoration>()
      const sorted = [...effect.value].sort((a, b) => a.line - b.line)
      for (const { line, kind } of sorted) {
        if (line > transaction.state.doc.lines) continue
        const { from } = transaction.state.doc.line(line)
        builder.add(from, from, MARKED[kind])
      }
      return builder.finish()
    }
    return value.map(transaction.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

const pointsField = StateField.define<readonly number[]>({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPoints)) return effect.value
    return value
  },
})

class BreakpointMark extends GutterMarker {
  override toDOM(): HTMLElement {
    const dot = document.createElement('span')
    dot.className = 'breakpoint'
    dot.textContent = '●'
    return dot
  }
}
const BREAKPOINT = new BreakpointMark()

function toggleAt(view: EditorView, position: number): boolean {
  const file = store.active
  const line = view.state.doc.lineAt(position).number
  const statement = file && statementAt(file, line)
  if (statement === undefined || store.debug.moment === undefined) return false
  void toggleBreakpoint(statement, `line ${line}`)
  return true
}

const breakpointGutter = gutter({
  class: 'breakpoints',
  lineMarker: (view, line) => {
    const { number } = view.state.doc.lineAt(line.from)
    return view.state.field(pointsField).includes(number) ? BREAKPOINT : null
  },
  lineMarkerChange: (update) => update.startState.field(pointsField) !== update.state.field(pointsField),
  initialSpacer: () => BREAKPOINT,
  domEventHandlers: { mousedown: (view, line) => toggleAt(view, line.from) },
})

/** Texts of documents, made once for each: long ones take their time, and are compared whenever anything changes. */
const TEXTS = new WeakMap<Text, string>()

function textOf(doc: Text): string {
  const known = TEXTS.get(doc)
  if (known !== undefined) return known
  const text = doc.toString()
  TEXTS.set(doc, text)
  return text
}

const isMotionReduced = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

const uriOf = (file: OpenFile): string => `heddle:/${file.id}/${encodeURIComponent(file.name)}`

/** The first line of the code: what is above it stands in the tables as well. */
function codeStart({ doc }: EditorState): number {
  for (let i = 1; i <= doc.lines; i++) {
    const line = doc.line(i)
    if (line.text !== '' && !line.text.startsWith('//')) return line.from
  }
  return 0
}

const SEVERITY = { error: 'error', warning: 'warning', hint: 'info' } as const

/** A diagnostic of the assembler or the validator where it stands in the text. */
function lintOf(state: EditorState, d: Diagnostic): Lint[] {
  if (d.place?.kind !== 'text' || d.place.line > state.doc.lines) return []
  const line = state.doc.line(d.place.line)
  const from = Math.min(line.to, line.from + d.place.column - 1)
  const to = Math.min(line.to, from + d.place.length)
  const notes = d.notes.length === 0 ? '' : `\n${d.notes.join('\n')}`
  return [{ from, to, severity: SEVERITY[d.severity], message: `${d.message}${notes}`, source: d.code }]
}

/** What the checker found, on the lines that it is about: both sides of a race. */
function findingLints(state: EditorState, file: OpenFile): Lint[] {
  const { answer, of } = store.check
  if (answer === undefined || of !== file.text) return []
  return answer.report.findings.flatMap((f) =>
    [f.site, ...(f.other === undefined ? [] : [f.other])].flatMap((site, i): Lint[] => {
      const number = lineOf(file, site.statement)
      if (number === undefined || number > state.doc.lines) return []
      const line = state.doc.line(number)
      const from = line.from + (/\S/.exec(line.text)?.index ?? 0)
      const message = i === 0 ? f.message : `the other access of: ${f.message}`
      return [{ from, to: line.to, severity: SEVERITY[f.severity], message, source: f.code }]
    }),
  )
}

/** The element around the editor. It follows the store by itself: CodeMirror draws its own content. */
export class EditorElement extends LitElement {
  #view: EditorView | undefined
  #fileId = -1
  #states = new Map<number, EditorState>()
  #lints = ''
  #marks = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #language = startLanguage(({ uri, diagnostics }) => {
    this.#served.set(uri, diagnostics)
    this.#update()
    void this.#askFixes(uri, diagnostics)
  })
  /** The fixes of the findings that were published. */
  readonly #fixes = new WeakMap<readonly ServerDiagnostic[], Fixes>()
  #asked = 0
  /** What the language server said last of each text. */
  readonly #served = new Map<string, readonly ServerDiagnostic[]>()
  readonly #follow = (): void => this.#update()

  #isShown = false
  /** On a phone the listing is a view of its own: what is marked is scrolled to when it comes. */
  readonly #sizes = new ResizeObserver(([entry]) => {
    const isShown = entry !== undefined && entry.contentRect.height > 0
    if (isShown && !this.#isShown) {
      this.#marks = ''
      this.#update()
    }
    this.#isShown = isShown
  })

  override connectedCallback(): void {
    super.connectedCallback()
    store.addEventListener('change', this.#follow)
    this.#sizes.observe(this)
    void this.updateComplete.then(() => this.#update())
  }

  override disconnectedCallback(): void {
    store.removeEventListener('change', this.#follow)
    this.#sizes.disconnect()
    this.#view?.destroy()
    this.#view = undefined
    this.#fileId = -1
    super.disconnectedCallback()
  }

  #stateOf(file: OpenFile): EditorState {
    const known = this.#states.get(file.id)
    if (known !== undefined && textOf(known.doc) === file.text) return known
    return EditorState.create({
      doc: file.text,
      extensions: [
        lineNumbers(),
        breakpointGutter,
        lintGutter(),
        history(),
        drawSelection(isMotionReduced() ? { cursorBlinkRate: 0 } : {}),
        indentOnInput(),
        indentUnit.of('  '),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        keymap.of([
          { key: 'Mod-.', run: fixAt },
          { key: 'F9', run: (view) => toggleAt(view, view.state.selection.main.head) },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          ...lintKeymap,
        ]),
        StreamLanguage.define(LISTING_TOKENS),
        syntaxHighlighting(LISTING_COLORS),
        EDITOR_THEME,
        marksField,
        pointsField,
        EditorView.contentAttributes.of({
          'aria-label': `listing of ${file.name}`,
          spellcheck: 'false',
          tabindex: '0',
        }),
        EditorView.updateListener.of((u) => {
          if (!u.docChanged) return
          editText(file, textOf(u.state.doc))
          this.#served.delete(uriOf(file))
          clearTimeout(this.#timer)
          this.#timer = setTimeout(() => this.#language.sync(), MILLISECONDS_AFTER_KEY)
        }),
        this.#language.plugin(uriOf(file)),
      ],
    })
  }

  #show(file: OpenFile): EditorView {
    if (this.#view === undefined) {
      this.#view = new EditorView({
        state: this.#stateOf(file),
        parent: this.renderRoot as ShadowRoot,
        root: this.renderRoot as ShadowRoot,
      })
    } else {
      this.#states.set(this.#fileId, this.#view.state)
      this.#view.setState(this.#stateOf(file))
    }
    this.#view.dispatch({
      effects: EditorView.scrollIntoView(codeStart(this.#view.state), { y: 'start', yMargin: 22 }),
    })
    this.#fileId = file.id
    this.#lints = ''
    this.#marks = ''
    return this.#view
  }

  #update(): void {
    const file = store.active
    if (file === undefined || !this.isConnected) return
    const isSame = this.#view !== undefined && this.#fileId === file.id
    const view = isSame && textOf(this.#view!.state.doc) === file.text ? this.#view! : this.#show(file)
    this.#showLints(view, file)
    this.#showMarks(view, file)
  }

  /** Requests the fixes of the findings of a text; an answer that comes when other findings are shown is left out. */
  async #askFixes(uri: string, served: readonly ServerDiagnostic[]): Promise<void> {
    const doc = this.#view?.state.doc
    if (doc === undefined || !served.some(isShown)) return
    const found = await this.#language.fixes(uri, doc.lines).catch(() => [])
    if (found.length === 0 || this.#served.get(uri) !== served) return
    this.#fixes.set(served, { number: ++this.#asked, uri, found })
    this.#update()
  }

  #showLints(view: EditorView, file: OpenFile): void {
    if (file.isReading) return
    const served = this.#served.get(uriOf(file))
    const fixes = served && this.#fixes.get(served)
    const ofText =
      served === undefined
        ? file.diagnostics.flatMap((d) => lintOf(view.state, d))
        : servedLints(view.state, served, fixes)
    const lints = [...ofText, ...findingLints(view.state, file)]
    // Fixes are of one text: others that read alike have other places.
    const key = JSON.stringify([fixes?.number, lints])
    if (key === this.#lints) return
    this.#lints = key
    view.dispatch(setDiagnostics(view.state, lints))
  }

  #showMarks(view: EditorView, file: OpenFile): void {
    const marks = lineMarks(file)
    const points = (store.debug.moment?.breakpoints ?? []).flatMap((b) =>
      b.statement === undefined ? [] : [lineOf(file, b.statement) ?? 0],
    )
    const key = JSON.stringify([marks, points])
    if (key === this.#marks) return
    this.#marks = key
    const last = marks.filter((m) => m.kind !== 'selected').at(-1) ?? marks[0]
    const isInText = last !== undefined && last.line <= view.state.doc.lines
    const scroll = isInText
      ? [EditorView.scrollIntoView(view.state.doc.line(last.line).from, { y: 'nearest', yMargin: 60 })]
      : []
    view.dispatch({ effects: [setMarks.of(marks), setPoints.of(points), ...scroll] })
  }
}
