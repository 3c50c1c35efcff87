/** Whether single letters step: people who speak to their computer turn them off. */
const KEY = 'heddle-letters'

export const areLettersOn = (): boolean => localStorage.getItem(KEY) !== 'off'

export const setLetters = (on: boolean): void => localStorage.setItem(KEY, on ? 'on' : 'off')
