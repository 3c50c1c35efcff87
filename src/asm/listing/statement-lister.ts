import type { Program } from '../../program/index.ts'
import { contextOf } from './context.ts'
import type { ListingOptions } from './options.ts'
import { statementText } from './print-code.ts'

/** The text of single statements of a program, by index, as the listing has them without indentation; undefined past the end. */
export function statementLister(program: Program, options: ListingOptions = {}): (index: number) => string | undefined {
  const context = contextOf(program, options)
  return (index) => {
    const statement = program.statements[index]
    return statement === undefined ? undefined : statementText(context, statement).trim()
  }
}
