import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VARIABLES = new URL('../bench/variables.mjs', import.meta.url).href

interface Read {
  readonly text: string | undefined
  readonly code: string
}

/** What each reading gives, or what the process would end with: read in a process of their own, as reading may end it. */
function readIn(cases: readonly Read[]): readonly string[] {
  const script = `import * as v from '${VARIABLES}'
    let said
    console.error = (text) => void (said = text)
    process.exit = (code) => { throw code }
    for (const { text, code } of ${JSON.stringify(cases)}) {
      if (text === undefined) delete process.env.HEDDLE_TEST
      else process.env.HEDDLE_TEST = text
      said = ''
      try { said = JSON.stringify(eval(code)) } catch (e) { said = e + ': ' + said }
      console.log(said)
    }`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

/** Sources of folders that have a pattern. */
function filesWith(folders: readonly string[], pattern: RegExp): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  return files.filter((f) => /\.(?:ts|mjs)$/.test(f) && pattern.test(readFileSync(`${ROOT}${f}`, 'utf8')))
}

describe('variables of measurements and scripts', () => {
  it('are numbers, lists of names and of numbers, and flags', () => {
    const cases = [
      [undefined, "v.numberVariable('HEDDLE_TEST', 7)", '7'],
      ['', "v.numberVariable('HEDDLE_TEST', 7)", '7'],
      ['1e6', "v.numberVariable('HEDDLE_TEST', 7)", '1000000'],
      ['2,4', "v.numbersVariable('HEDDLE_TEST', [1])", '[2,4]'],
      ['b,a', "v.namesVariable('HEDDLE_TEST', ['a', 'b'])", '["b","a"]'],
      ['0', "v.flagVariable('HEDDLE_TEST')", 'false'],
      ['1', "v.flagVariable('HEDDLE_TEST')", 'true'],
      ['12', "v.numberArgument('the seed', process.env.HEDDLE_TEST, 1)", '12'],
    ] as const
    expect(readIn(cases.map(([text, code]) => ({ text, code })))).toEqual(cases.map(([, , said]) => said))
  })

  it('end the process with code 2 where they are something else', () => {
    const cases = [
      ['many', "v.numberVariable('HEDDLE_TEST', 7)", 'a whole number from 1'],
      [' ', "v.numberVariable('HEDDLE_TEST', 7)", 'a whole number from 1'],
      ['0', "v.numberVariable('HEDDLE_TEST', 7)", 'a whole number from 1'],
      ['1.5', "v.numberVariable('HEDDLE_TEST', 7)", 'a whole number from 1'],
      ['Infinity', "v.numberVariable('HEDDLE_TEST', 7)", 'a whole number from 1'],
      ['65', "v.numberVariable('HEDDLE_TEST', 7, { least: 4, most: 64 })", 'a whole number from 4 to 64'],
      ['yes', "v.flagVariable('HEDDLE_TEST')", '0 or 1'],
      ['-1', "v.numberArgument('HEDDLE_TEST', process.env.HEDDLE_TEST, 1)", 'a whole number from 0'],
    ] as const
    const want = cases.map(([text, , expected]) => `2: HEDDLE_TEST is "${text}"; it must be ${expected}`)
    expect(readIn(cases.map(([text, code]) => ({ text, code })))).toEqual(want)
  })

  it('name the entry of a list that is none', () => {
    const [number, name] = readIn([
      { text: '1,x', code: "v.numbersVariable('HEDDLE_TEST', [1])" },
      { text: 'a,c', code: "v.namesVariable('HEDDLE_TEST', ['a', 'b'])" },
    ])
    expect(number).toBe('2: HEDDLE_TEST is "x"; it must be a whole number from 1')
    expect(name).toBe('2: HEDDLE_TEST is "c"; it must be one or more of a, b, with commas between them')
  })

  it('are read by nothing else', () => {
    const readers = filesWith(['bench', 'scripts'], /process\.env(?:\.HEDDLE_\w+\b(?! = )|\[)/)
    expect(readers).toEqual(['bench/variables.mjs'])
  })

  it('are no numbers of tests in another way', () => {
    expect(filesWith(['src', 'apps', 'test'], /Number\w*[.(]\w*\(?process\.env\./)).toEqual([])
  })
})
