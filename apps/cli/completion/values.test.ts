import { describe, expect, it } from 'vitest'
import { buildCli } from '../program.ts'
import { ARGUMENT_VALUES, OPTION_VALUES } from './values.ts'

describe('what may stand at the end of a line', () => {
  it('is known for every option with a value and every verb with arguments', () => {
    const verbs = buildCli().commands
    const valued = verbs.flatMap((c) =>
      c.options.filter((o) => (o.required || o.optional) && o.argChoices === undefined && !o.hidden),
    )
    expect([...new Set(valued.map((o) => o.long!))].sort()).toEqual(Object.keys(OPTION_VALUES).sort())
    const taking = verbs.filter((c) => c.registeredArguments.length > 0).map((c) => c.name())
    expect(taking.sort()).toEqual(Object.keys(ARGUMENT_VALUES).sort())
  })
})
