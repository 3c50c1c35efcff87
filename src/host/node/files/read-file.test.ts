import { expect, it } from 'vitest'
import { countRead } from './read-file.ts'

const failing = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

it('the end of a pipe is no failure on Windows', () => {
  expect(countRead(() => failing('EOF'))).toBe(0)
})

it('waits for a pipe that has nothing yet', () => {
  let waits = 0
  const read = (): number => (waits < 3 ? failing('EAGAIN') : 7)
  expect([countRead(read, () => waits++), waits]).toEqual([7, 3])
})

it('hands on other failures', () => {
  expect(() => countRead(() => failing('EISDIR'))).toThrow('EISDIR')
})
