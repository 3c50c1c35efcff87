import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordsOfLine } from '../apps/cli/completion/line.ts'
import { COMPLETION_SCRIPTS } from '../apps/cli/completion/scripts.ts'
import { buildCli } from '../apps/cli/program.ts'
import { heddle } from './support/cli.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'heddle-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What is offered at the end of a line: which files, and words. */
async function offered(line: string): Promise<{ files: string; words: string[] }> {
  const { stdout } = await heddle('completion', `--line=${line}`)
  const [files = '', ...lines] = stdout.trimEnd().split('\n')
  return { files, words: lines.map((l) => l.split('\t', 1)[0]!) }
}
const words = async (line: string): Promise<string[]> => (await offered(line)).words

describe('what may stand at the end of a line', () => {
  it('is a verb, with what it does', async () => {
    expect(await words('heddle che')).toEqual(['check'])
    expect(await words('heddle ')).toEqual([...buildCli().commands.map((c) => c.name()), 'help'])
    expect((await heddle('completion', '--line=heddle che')).stdout).toBe(
      'none\ncheck\tfind races, bad accesses and undefined values\n',
    )
    expect(await words('heddle --v')).toEqual(['--version'])
    expect(await words('heddle help mer')).toEqual(['merge'])
  })

  it('is an option of the verb that is not given yet, or may be given again', async () => {
    expect(await words('heddle dis --o')).toEqual(['--offsets', '--output', '--out-dir'])
    expect(await words('heddle dis --offsets --o')).toEqual(['--output', '--out-dir'])
    expect(await words('heddle dis -o x --o')).toEqual(['--offsets', '--out-dir'])
    expect(await words('heddle run --uav u0=raw:4 --ua')).toEqual(['--uav'])
    // What the help hides is not offered.
    expect(await words('heddle asm --recover')).toEqual([])
  })

  it('is a value of the option before it, or behind its sign of equality', async () => {
    expect(await words('heddle dis -d ')).toEqual(['fxc', 'lossless'])
    expect(await words('heddle dis --dialect=l')).toEqual(['--dialect=lossless'])
    expect(await words('heddle run j.json --engine ')).toEqual(['wasm', 'reference'])
    expect(await words('heddle check --detectors races,b')).toEqual(['races,bounds', 'races,barriers'])
    expect(await words('heddle run s.dxbc --srv t0=str')).toEqual(['t0=structured:'])
    expect(await words('heddle run s.dxbc --srv t0=texture2d:R32G32B32A32_U')).toEqual([
      't0=texture2d:R32G32B32A32_UINT:',
    ])
    expect(await words('heddle run s.dxbc --sampler s0=MIN_MAG_MIP_LINEAR:W')).toEqual(['s0=MIN_MAG_MIP_LINEAR:WRAP'])
    expect(await offered('heddle check j.json --junit ')).toEqual({ files: 'files xml', words: [] })
    expect(await offered('heddle dis --out-dir ')).toEqual({ files: 'folders', words: [] })
    expect(await offered('heddle run --max-time ')).toEqual({ files: 'none', words: [] })
  })

  it('is a code, a shell, or a file of the kind that the verb takes', async () => {
    expect(await words('heddle explain check-race-b')).toEqual(['check-race-barrier-scope'])
    expect(await words('heddle completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell'])
    expect((await offered('heddle merge ')).files).toBe('files xml sarif json')
    expect((await offered('heddle dis -- -')).files).toBe('files dxbc cso fxo dxo bin')
    expect(await offered('heddle nonsense ')).toEqual({ files: 'none', words: [] })
  })
})

describe('a line', () => {
  it('is divided as shells do', () => {
    expect(wordsOfLine(`heddle dis "a b" c\\ d 'e"f' g`)).toEqual(['heddle', 'dis', 'a b', 'c d', 'e"f', 'g'])
    expect(wordsOfLine('heddle dis ')).toEqual(['heddle', 'dis', ''])
    expect(wordsOfLine(`heddle "it's`)).toEqual(['heddle', "it's"])
    expect(wordsOfLine('')).toEqual([''])
  })

  it('gives back words in single quotes as they were', () => {
    const word = fc.string().map((s) => s.replaceAll("'", ''))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (list) => {
        expect(wordsOfLine(list.map((w) => `'${w}'`).join('  '))).toEqual(list)
      }),
    )
  })
})

/** The command as it is here, for shells; a file with a space in its name. */
beforeAll(() => {
  mkdirSync(join(folder, 'bin'))
  const main = join(ROOT, 'apps/cli/main.ts')
  const tsx = join(ROOT, 'node_modules/tsx/dist/loader.mjs')
  const script = `#!/bin/sh\nexec "${process.execPath}" --import "${tsx}" "${main}" "$@"\n`
  writeFileSync(join(folder, 'bin/heddle'), script, { mode: 0o755 })
  mkdirSync(join(folder, 'work/shaders'), { recursive: true })
  for (const name of ['scale.dxbc', 'scan two.cso', 'scan.txt']) writeFileSync(join(folder, 'work', name), '')
})

const hasShell = (name: string): boolean => spawnSync(name, ['-c', 'exit 0']).status === 0

function inShell(shell: string, args: readonly string[], script: string): string {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TERM: 'dumb', HOME: folder }
  const { stdout } = spawnSync(shell, [...args, script], {
    cwd: join(folder, 'work'),
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return stdout
}

describe.runIf(hasShell('bash'))('in bash', () => {
  /** The words of the line as bash divides it: at = and : too. */
  const complete = (line: string, ...divided: string[]): string[] => {
    const quoted = divided.map((w) => `'${w}'`).join(' ')
    const script = `eval "$(heddle completion bash)"
COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${quoted}); COMP_CWORD=${divided.length - 1}
_heddle 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
    return inShell('bash', ['--norc', '-c'], script).trimEnd().split('\n')
  }

  it('verbs, options and values are completed', () => {
    expect(complete('heddle com', 'heddle', 'com')).toEqual(['completion'])
    expect(complete('heddle dis --off', 'heddle', 'dis', '--off')).toEqual(['--offsets'])
    expect(complete('heddle dis -d ', 'heddle', 'dis', '-d', '')).toEqual(['fxc', 'lossless'])
    expect(complete('heddle dis --dialect=', 'heddle', 'dis', '--dialect', '=')).toEqual(['fxc', 'lossless'])
    expect(complete('heddle dis --dialect=lo', 'heddle', 'dis', '--dialect', '=', 'lo')).toEqual(['lossless'])
    expect(
      complete('heddle run --srv t0=typed:R16_U', 'heddle', 'run', '--srv', 't0', '=', 'typed', ':', 'R16_U'),
    ).toEqual(['R16_UNORM:', 'R16_UINT:'])
  })

  it('files are those that the verb takes; where there are none, all', () => {
    expect(complete('heddle dis sc', 'heddle', 'dis', 'sc')).toEqual(['scale.dxbc', 'scan two.cso'])
    expect(complete('heddle dis s', 'heddle', 'dis', 's')).toEqual(['scale.dxbc', 'scan two.cso', 'shaders'])
    expect(complete('heddle merge sc', 'heddle', 'merge', 'sc').sort()).toEqual([
      'scale.dxbc',
      'scan two.cso',
      'scan.txt',
    ])
    expect(complete('heddle dis --out-dir s', 'heddle', 'dis', '--out-dir', 's')).toEqual(['shaders'])
  })
})

describe.runIf(hasShell('fish'))('in fish', () => {
  const complete = (line: string): string[] =>
    inShell('fish', ['--no-config', '-c'], `heddle completion fish | source; complete -C '${line}'`)
      .trimEnd()
      .split('\n')
      .map((l) => l.split('\t', 1)[0]!)

  it('verbs, values and files are completed', () => {
    expect(complete('heddle com')).toEqual(['completion'])
    expect(complete('heddle dis --dialect=')).toEqual(['--dialect=fxc', '--dialect=lossless'])
    expect(complete('heddle run --policy ')).toEqual(['poison', 'report', 'trap'])
    expect(complete('heddle dis sc')).toEqual(expect.arrayContaining(['scale.dxbc']))
    expect(complete('heddle dis --out-dir sh')).toEqual(['shaders/'])
  })
})

describe.runIf(hasShell('zsh'))('in zsh', () => {
  /** What a line has become after the key that completes, in an interactive shell of its own. */
  const complete = (line: string): string => {
    const script = `zmodload zsh/zpty
zpty -b inner zsh -f -i
zpty -w inner 'PS1=; autoload -Uz compinit; compinit -u -D; eval "$(heddle completion zsh)"; show() { print -r -- "<<$BUFFER>>"; exit }; zle -N show; bindkey "^X" show; print ready'
while zpty -r inner text; do [[ $text == *ready* && $text != *print* ]] && break; done
zpty -w -n inner $'${line}\\t\\x18'
for i in {1..400}; do zpty -r -t inner text && print -r -- "$text" && [[ $text == *'<<heddle'* ]] && break; sleep 0.05; done`
    const output = inShell('zsh', ['-f', '-c'], script)
    return /<<(heddle.*?)>>/.exec(output)?.[1] ?? output
  }

  it('verbs, values and files are completed', () => {
    expect(complete('heddle com')).toBe('heddle completion ')
    expect(complete('heddle dis --dialect=lo')).toBe('heddle dis --dialect=lossless ')
    expect(complete('heddle run --srv t0=str')).toBe('heddle run --srv t0=structured:')
    expect(complete('heddle dis scal')).toBe('heddle dis scale.dxbc ')
    expect(complete('heddle dis --out-dir sh')).toBe('heddle dis --out-dir shaders/')
  })
})

describe('in PowerShell', () => {
  it('the script is balanced, and hands on the line as the others do', () => {
    const script = COMPLETION_SCRIPTS.powershell.replace(/^#.*$/gm, '').replace(/'[^']*'|"(?:`.|[^"`])*"/g, '""')
    const open: string[] = []
    for (const c of script.match(/[(){}[\]]/g) ?? []) {
      if ('({['.includes(c)) open.push(c)
      else expect(open.pop()).toBe({ ')': '(', '}': '{', ']': '[' }[c])
    }
    expect(open).toEqual([])
    expect(COMPLETION_SCRIPTS.powershell).toContain('heddle completion "--line=$line"')
  })
})

describe('heddle completion', () => {
  it('refuses shells that it has no script for', async () => {
    expect(await heddle('completion', 'bahs')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        "error: scripts are there for bash, zsh, fish, powershell: there is none for bahs; did you mean 'bash'?\n",
    })
    expect((await heddle('completion')).stderr).toContain('none was named')
  })
})

describe('the manual page', () => {
  const page = readFileSync(new URL('../man/heddle.1', import.meta.url), 'utf8')

  it('has every verb with every option', () => {
    for (const command of buildCli().commands) {
      expect(page).toContain(`\n.SS \\fBheddle ${command.name()}\\fR`)
      for (const o of command.options.filter((o) => !o.hidden && o.long !== undefined))
        expect(page).toContain(o.long!.replaceAll('-', '\\-'))
    }
  })

  it.runIf(hasShell('man') || spawnSync('man', ['--version']).status === 0)('is shown by man', () => {
    const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', join(ROOT, 'man/heddle.1')], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C' },
    })
    expect(stderr).toBe('')
    expect(stdout).toContain('heddle - Direct3D shaders without Direct3D')
    expect(stdout).toContain('heddle check tests/*.json --shard 2/4')
  })

  it.runIf(spawnSync('mandoc', ['-T', 'lint', '/dev/null']).error === undefined)('is without errors for mandoc', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', join(ROOT, 'man/heddle.1')], { encoding: 'utf8' })
    expect(stdout.split('\n').filter((l) => l !== '' && !/missing date|STYLE: input text line longer/.test(l))).toEqual(
      [],
    )
  })
})
