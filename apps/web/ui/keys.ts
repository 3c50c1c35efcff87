/** Keys of the whole page. */
import type { DebugMove } from '../model/debug.ts'
import { showView } from './shell.ts'
import { openPasted } from './state/files.ts'
import { areLettersOn } from './state/letters.ts'
import { store } from './state/store.ts'
import { checkNow, moveDebug, runNow } from './state/work.ts'
import { MOVES } from './views/step.ts'

/** Function keys by name, with Shift in front; browsers keep some of them, so each has a letter too. */
const FUNCTION_KEYS: Readonly<Record<string, string>> = {
  F5: 'c',
  'Shift+F5': 'r',
  F10: 'n',
  'Shift+F10': 'b',
  F11: 's',
  'Shift+F11': 'o',
}

/** The element that has the focus, inside of shadow trees too. */
function focused(): Element | null {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element
}

function isTyping(): boolean {
  const element = focused()
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLElement && element.isContentEditable)
  )
}

function stepKey(e: KeyboardEvent): DebugMove | undefined {
  if (e.ctrlKey || e.metaKey || e.altKey) return undefined
  const letter = FUNCTION_KEYS[`${e.shiftKey ? 'Shift+' : ''}${e.key}`]
  if (letter !== undefined) return MOVES[letter]!.move
  const isInStep = document.activeElement?.closest('#pane-view') !== null && store.view === 'step'
  if (!isInStep || isTyping() || !areLettersOn() || e.shiftKey) return undefined
  return Object.hasOwn(MOVES, e.key) ? MOVES[e.key]!.move : undefined
}

function onKey(e: KeyboardEvent): void {
  if (store.dialog !== undefined || e.defaultPrevented) return
  if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
    e.preventDefault()
    showView(e.shiftKey ? 'check' : 'run')
    void (e.shiftKey ? checkNow() : runNow())
    return
  }
  if (e.key === '?' && !isTyping()) {
    store.dialog = 'help'
    store.changed()
    return
  }
  const move = stepKey(e)
  if (move === undefined || (store.view !== 'step' && store.debug.moment === undefined)) return
  e.preventDefault()
  if (store.debug.work === undefined) void moveDebug(move)
}

/** Text that is pasted outside of a field is opened. */
function onPaste(e: ClipboardEvent): void {
  const text = e.clipboardData?.getData('text') ?? ''
  if (isTyping() || text.trim() === '') return
  e.preventDefault()
  void openPasted(text)
}

export function listenToKeys(): void {
  window.addEventListener('keydown', onKey, { capture: true })
  window.addEventListener('paste', onPaste)
}
