/** Whether single letters step: users of speech recognition turn them off. */
import { keepSetting, keptSetting } from './settings.ts'

const KEY = 'heddle-letters'

export const areLettersOn = (): boolean => keptSetting(KEY) !== 'off'

export const setLetters = (on: boolean): void => keepSetting(KEY, on ? 'on' : 'off')
