import { describe, expect, test } from 'vitest'
import { programOf } from '../../../../test/support/run-text.ts'
import { valueOrThrow } from '../../../diagnostic/index.ts'
import { gatherDeclarations } from '../../gather/declarations.ts'
import { numberOps } from '../number-ops.ts'
import { createColumns } from './columns.ts'
import { createRecorder, kernelsFor } from './recorder.ts'

describe('the recorder of a program', () => {
  const declarations = valueOrThrow(gatherDeclarations(programOf('cs_5_0\ndcl_temps 2\ndcl_thread_group 4, 1, 1\nret')))
  const columns = createColumns(declarations, declarations.entries[0]!, 4)
  const options = { numbers: numberOps({ denormals: 'flush' }), flush: true, fused: false }
  const recorder = createRecorder(columns, options, kernelsFor(options))

  // Code refers to what it was made with: graphs that are kept would be most of the memory of a large program.
  test('forgets a statement when the next one begins', () => {
    const record = () => {
      recorder.begin()
      const sum = recorder.ops.i32Add(recorder.column(0), recorder.column(4))
      const scratch = recorder.scratch()
      return { sum, scratch, columns: recorder.evaluate([sum]).columns }
    }
    const first = record()
    expect(record()).toEqual(first)
    recorder.begin()
    expect(recorder.column(8).node).toBe(0)
  })
})
