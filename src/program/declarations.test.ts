/** Declarations by form and by the names of their parameters. */
import { expect, it } from 'vitest'
import { programOf } from '../../test/support/run-text.ts'
import { INSTRUCTIONS } from '../isa/index.ts'
import { declarationsOf, globalFlagsOf, type ParameterName, parameterOf, threadGroupOf } from './declarations.ts'

/** Every name, so that one without a row, or a row whose name is not here, shows. */
const NAMES: Readonly<Record<ParameterName, true>> = {
  ...{
    body: true,
    byteCount: true,
    callSite: true,
    callSites: true,
    components: true,
    count: true,
    factor: true,
    interface: true,
  },
  ...{ lengths: true, register: true, returnTypes: true, size: true, space: true, stride: true, systemValue: true },
  ...{ table: true, x: true, y: true, z: true },
}

it('knows every name that rows have for a parameter', () => {
  const names = new Set(INSTRUCTIONS.flatMap((row) => row.parameters).filter((name) => name !== '...'))
  expect([...names].sort()).toEqual(Object.keys(NAMES).sort())
})

it('reads flags, thread groups and parameters', () => {
  const program = programOf(`cs_5_0
dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps
dcl_indexableTemp x1[7], 2
dcl_tgsm_structured g0, 12, 5
dcl_thread_group 8, 4, 2
ret
`)
  expect([...globalFlagsOf(program)].sort()).toEqual(['enableDoublePrecisionFloatOps', 'refactoringAllowed'])
  expect(threadGroupOf(program)).toEqual([8, 4, 2])
  const [temps] = declarationsOf(program, 'indexable-temp')
  expect((['register', 'count', 'components', 'stride'] as const).map((n) => parameterOf(temps!, n))).toEqual([
    1,
    7,
    2,
    undefined,
  ])
  const [shared] = declarationsOf(program, 'tgsm-structured')
  expect((['stride', 'count'] as const).map((n) => parameterOf(shared!, n))).toEqual([12, 5])
})
