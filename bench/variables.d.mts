interface NumberLimits {
  readonly least?: number
  readonly most?: number
  readonly isWhole?: boolean
}
export function numberVariable(name: string, fallback: number, limits?: NumberLimits): number
export function numbersVariable(name: string, fallback: readonly number[], limits?: NumberLimits): readonly number[]
export function namesVariable(name: string, known: readonly string[]): readonly string[] | undefined
export function choiceVariable<T extends string>(name: string, known: readonly T[]): T | undefined
export function flagVariable(name: string): boolean
export function textVariable(name: string): string | undefined
export function numberArgument(what: string, text: string | undefined, fallback: number, limits?: NumberLimits): number
