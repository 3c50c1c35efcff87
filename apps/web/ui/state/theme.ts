/** Light, dark, or as the system has it. */

import { keepSetting, keptSetting } from './settings.ts'
import { store } from './store.ts'

const KEY = 'heddle-theme'
const NAMES = ['system', 'light', 'dark'] as const
type Theme = (typeof NAMES)[number]

let theme: Theme = NAMES.find((n) => n === keptSetting(KEY)) ?? 'system'

const LABELS: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' }
export const themeName = (): string => LABELS[theme]

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme
}

export function nextTheme(): void {
  theme = NAMES[(NAMES.indexOf(theme) + 1) % NAMES.length]!
  keepSetting(KEY, theme)
  applyTheme()
  store.changed()
}
