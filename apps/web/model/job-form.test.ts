import { describe, expect, it } from 'vitest'
import { parseJobText } from '../../../src/job/index.ts'
import { editJob, jobForm, typedValue } from './job-form.ts'

const JOB = JSON.stringify({
  name: 'j',
  shader: { assembly: 'cs_5_0' },
  dispatch: [4, 1, 1],
  resources: [
    { slot: 't0', kind: 'structured', stride: 4, size: 64, init: { kind: 'lcg-u32', seed: 7 } },
    { slot: 'b0', kind: 'cbuffer', values: { count: 4, at: [1, 2] } },
    { slot: 'u0', kind: 'structured', stride: 4, size: 64 },
  ],
})

const resource = (text: string, i: number): unknown => (JSON.parse(text) as { resources: unknown[] }).resources[i]

describe('the form of a run description', () => {
  it('has the dispatch, sizes, generators and constants', () => {
    const form = jobForm(JOB)!
    expect(form.dispatch).toEqual([4, 1, 1])
    const [t0, b0, u0] = form.resources
    expect(t0).toMatchObject({ title: 't0', contents: 'lcg-u32', arguments: [{ name: 'seed', value: 7 }] })
    expect(b0!.constants).toEqual([
      { name: 'count', value: 4 },
      { name: 'at', value: [1, 2] },
    ])
    expect(u0!.contents).toBe('zero')
  })

  it('has the resources of a frame by name', () => {
    const frame = JSON.stringify({
      version: 2,
      resources: { picture: { kind: 'texture2d', format: 'R8_UNORM', width: 4 } },
    })
    expect(jobForm(frame)!.resources[0]).toMatchObject({ key: 'picture', title: 'picture', contents: 'zero' })
    const edited = editJob(frame, { kind: 'field', key: 'picture', name: 'width', value: 8 })
    expect(JSON.parse(edited).resources.picture.width).toBe(8)
  })

  it('changes one field, and what it makes is a description', () => {
    const dispatch = editJob(JOB, { kind: 'dispatch', axis: 1, value: 3 })
    expect(JSON.parse(dispatch).dispatch).toEqual([4, 3, 1])
    const constant = editJob(JOB, { kind: 'constant', key: '1', name: 'count', value: 9 })
    expect(resource(constant, 1)).toEqual({ slot: 'b0', kind: 'cbuffer', values: { count: 9, at: [1, 2] } })
    const ramp = editJob(JOB, { kind: 'contents', key: '0', value: 'ramp-u32' })
    expect(resource(ramp, 0)).toEqual({
      slot: 't0',
      kind: 'structured',
      stride: 4,
      size: 64,
      init: { kind: 'ramp-u32', start: 0, step: 1 },
    })
    const seed = editJob(JOB, { kind: 'argument', key: '0', name: 'seed', value: 8 })
    expect(resource(seed, 0)).toMatchObject({ init: { kind: 'lcg-u32', seed: 8 } })
    const zero = editJob(JOB, { kind: 'contents', key: '0', value: 'zero' })
    expect(resource(zero, 0)).toEqual({ slot: 't0', kind: 'structured', stride: 4, size: 64 })
    for (const text of [dispatch, constant, ramp, seed, zero]) expect(parseJobText(text).diagnostics).toEqual([])
  })

  it('leaves a text alone that is no JSON', () => {
    expect(jobForm('{')).toBeUndefined()
    expect(editJob('{', { kind: 'dispatch', axis: 0, value: 1 })).toBe('{')
  })

  it.each([
    ['3', 3],
    [' 1, 2', [1, 2]],
    ['[1, 2]', [1, 2]],
    ['"a"', 'a'],
    ['LINEAR', 'LINEAR'],
    ['NaN', 'NaN'],
    ['', []],
  ])('takes %j as %j', (text, value) => {
    expect(typedValue(text)).toEqual(value)
  })
})
