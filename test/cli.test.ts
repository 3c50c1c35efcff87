import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readDxbcOrThrow } from '../src/dxbc/index.ts'
import { VERSION } from '../src/version.ts'
import { heddle } from './support/cli.ts'
import { CORPUS_FOLDER } from './support/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const shader = (name: string): string => join(CORPUS_FOLDER, `${name}.dxbc`)
const listing = (name: string): string => readFileSync(join(CORPUS_FOLDER, `${name}.asm`), 'latin1')

describe('heddle dis', () => {
  it('prints what fxc prints, with its flags', async () => {
    expect(await heddle('dis', shader('cs/raw_access'))).toEqual({
      status: 0,
      stdout: listing('cs/raw_access'),
      stderr: '',
    })
    expect((await heddle('dis', '-n', shader('cs/flow_if'))).stdout).toBe(listing('cs/flow_if.list-ni'))
    expect((await heddle('dis', '--offsets', shader('cs/flow_if'))).stdout).toBe(listing('cs/flow_if.list-no'))
    expect((await heddle('dis', '-x', shader('cs/icb'))).stdout).toBe(listing('cs/icb.list-lx'))
  })

  it('writes many files into a folder', async () => {
    const out = join(folder, 'listings')
    const { status, stdout } = await heddle('dis', '--out-dir', out, shader('cs/icb'), shader('ps/empty'))
    expect([status, stdout]).toEqual([0, ''])
    expect(readdirSync(out).sort()).toEqual(['empty.asm', 'icb.asm'])
    expect(readFileSync(join(out, 'icb.asm'), 'latin1')).toBe(listing('cs/icb'))
  })

  it('says what is wrong with its input, goes on, and exits with 2', async () => {
    const { status, stdout, stderr } = await heddle(
      'dis',
      join(folder, 'none.dxbc'),
      join(CORPUS_FOLDER, 'cs/icb.asm'),
      shader('ps/empty'),
    )
    expect(status).toBe(2)
    expect(stdout).toBe(listing('ps/empty'))
    expect(stderr).toContain('there is no such file')
    expect(stderr).toContain('does not begin with DXBC')
  })

  it('exits with 1 for a container that is damaged', async () => {
    const path = join(folder, 'cut.dxbc')
    writeFileSync(path, readFileSync(shader('cs/icb')).subarray(0, 200))
    const { status, stderr } = await heddle('dis', path)
    expect(status).toBe(1)
    expect(stderr).toMatch(/error: .*\[dxbc-/)
  })
})

describe('heddle asm', () => {
  it('makes the shader again from its lossless text', async () => {
    const [text, out] = [join(folder, 'a.asm'), join(folder, 'a.dxbc')]
    expect((await heddle('dis', '-d', 'lossless', '-o', text, shader('ps/class_linkage'))).status).toBe(0)
    expect((await heddle('asm', text, '-o', out)).status).toBe(0)
    expect(readFileSync(out)).toEqual(readFileSync(shader('ps/class_linkage')))
  })

  it('takes everything but the code from a base, and signs', async () => {
    const [text, out] = [join(folder, 'b.asm'), join(folder, 'b.dxbc')]
    writeFileSync(
      text,
      listing('cs/raw_access').replace('ishl r0.x, vThreadID.x, l(6)', 'ishl r0.x, vThreadID.x, l(7)'),
    )
    expect((await heddle('asm', text, '-b', shader('cs/raw_access'), '-o', out)).status).toBe(0)
    expect((await heddle('dis', out)).stdout).toBe(listing('cs/raw_access').replace('l(6)', 'l(7)'))
    expect((await heddle('validate', out)).status).toBe(0)
  })

  it('points at each error and writes nothing', async () => {
    const [text, out] = [join(folder, 'c.asm'), join(folder, 'c.dxbc')]
    writeFileSync(text, 'cs_5_0\ndcl_temps 1\nad r0.x, l(1.0), l(2.0)\nmov r0.q, r0.x\nret\n')
    const { status, stderr } = await heddle('asm', text, '-o', out)
    expect(status).toBe(1)
    expect(stderr).toContain(`${text}:3:1: error`)
    expect(stderr).toContain("did you mean 'add'")
    expect(stderr).toContain(`${text}:4:`)
    expect(readdirSync(folder)).not.toContain('c.dxbc')
  })

  it('takes literals from the base, unless this is turned off', async () => {
    const [text, base, out] = ['d.asm', 'base.dxbc', 'd.dxbc'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(text, 'cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nadd r0.x, r0.x, l(0.12345679)\nret\n')
    expect((await heddle('asm', text, '-o', base)).status).toBe(0)
    expect((await heddle('dis', base, '-o', text)).status).toBe(0)
    const over = ['asm', text, '-b', base, '-o', out]
    expect((await heddle(...over)).status).toBe(0)
    expect(readFileSync(out)).toEqual(readFileSync(base))
    const { status, stderr } = await heddle(...over, '--no-recover-literals')
    expect(status).toBe(0)
    expect(stderr).toContain('bits were lost')
    expect(readFileSync(out)).not.toEqual(readFileSync(base))
    expect((await heddle('asm', text, '--recover-literals', '-o', out)).status).toBe(2)
  })

  it('is silent about short decimals', async () => {
    const [text, out] = [join(folder, 'short.asm'), join(folder, 'short.dxbc')]
    writeFileSync(text, 'cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nadd r0.x, l(0.300000), l(0.590000)\nret\n')
    for (const verb of [
      ['asm', text, '-o', out],
      ['validate', text],
    ])
      expect((await heddle(...verb)).stderr).not.toContain('0.300000')
  })

  it('refuses a base of another stage', async () => {
    const [text, out] = [join(folder, 'stage.asm'), join(folder, 'stage.dxbc')]
    writeFileSync(text, 'ps_5_0\nret\n')
    const { status, stderr } = await heddle('asm', text, '-b', shader('vs/basic'), '-o', out)
    expect(status).toBe(1)
    expect(stderr).toContain('the base is a vertex shader, and the text is a pixel shader')
  })

  it('names the register and the instruction that were meant', async () => {
    const text = join(folder, 'meant.asm')
    writeFileSync(text, 'cs_5_0\nmov q12.x, l(1.0)\nreturn\n')
    const { stderr } = await heddle('asm', text)
    expect(stderr).toMatch(/did you mean '[a-z]+12'/)
    expect(stderr).toContain("did you mean 'ret'")
  })
})

describe('heddle info, hash, validate and explain', () => {
  it('show bindings, layouts and the thread group, for people and as JSON', async () => {
    const { stdout } = await heddle('info', shader('cs/real_particles'))
    expect(stdout).toContain('cs_5_0, 256 x 1 x 1 threads')
    expect(stdout).toMatch(/u1 +next +UAV +append +struct +36/)
    expect(stdout).toMatch(/16 +float4 +spheres\[4\] +64/)
    const [json] = JSON.parse((await heddle('info', '--json', shader('cs/real_particles'))).stdout)
    expect(json.threadGroup).toEqual([256, 1, 1])
    expect(json.reflection.buffers[0].variables[2]).toMatchObject({ name: 'spheres', byteOffset: 16, elements: 4 })
  })

  it('hash as the checksum in the file and FNV-1 by definition', async () => {
    const bytes = readFileSync(shader('ps/empty'))
    let [zero, basis] = [0n, 0xcbf29ce484222325n]
    for (const b of bytes) {
      zero = BigInt.asUintN(64, zero * 0x100000001b3n) ^ BigInt(b)
      basis = BigInt.asUintN(64, basis * 0x100000001b3n) ^ BigInt(b)
    }
    const [json] = JSON.parse((await heddle('hash', '--json', shader('ps/empty'))).stdout)
    const hex = (n: bigint): string => n.toString(16).padStart(16, '0')
    expect(json).toMatchObject({ fnv1From0: hex(zero), fnv1: hex(basis), checksumIsRight: true })
    expect(json.checksum).toBe(bytes.subarray(4, 20).toString('hex'))
  })

  it('hash as 3Dmigoto names shaders by their bytecode', async () => {
    const crc = (data: Uint8Array, start: number): number => {
      let bits = ~start >>> 0
      for (const byte of data) {
        bits ^= byte
        for (let k = 0; k < 8; k++) bits = bits & 1 ? (bits >>> 1) ^ 0x82f63b78 : bits >>> 1
      }
      return ~bits >>> 0
    }
    // The published check value of CRC-32C.
    expect(crc(Buffer.from('123456789'), 0)).toBe(0xe3069283)
    const { chunks } = readDxbcOrThrow(readFileSync(shader('gs/emit_cut')))
    const hashed = chunks.filter((c) => ['ISGN', 'OSG5', 'SHEX'].includes(c.fourcc))
    expect(hashed).toHaveLength(3)
    const expected = hashed.reduce((bits, { data }) => crc(data, bits), 0)
    const [json] = JSON.parse((await heddle('hash', '--json', shader('gs/emit_cut'))).stdout)
    expect(json.bytecode).toBe(expected.toString(16).padStart(16, '0'))
    expect((await heddle('hash', shader('gs/emit_cut'))).stdout).toContain(`3dmigoto, bytecode  ${json.bytecode}`)
  })

  it('find what a text breaks, with the statement', async () => {
    const path = join(folder, 'e.asm')
    writeFileSync(path, listing('cs/raw_access').replace('store_raw u0.xy,', 'store_raw u0.xz,'))
    const { status, stderr, stdout } = await heddle('validate', path)
    expect(status).toBe(1)
    expect(stderr).toContain('[validate-store-mask]')
    expect(stderr).toContain('store_raw u0.xz, r1.y, r0.yzyy')
    expect(stdout).toContain('1 of them an error')
  })

  it('explain a code, and refuse one that is not there', async () => {
    expect((await heddle('explain', 'validate-store-mask')).stdout).toContain('validate-store-mask (error)')
    expect((await heddle('explain', 'no-such-code')).status).toBe(2)
    const [, example] = /codes such as (\S+);/.exec((await heddle('explain', '--help')).stdout)!
    expect(await heddle('explain', example!)).toMatchObject({ status: 0, stdout: expect.stringContaining(example!) })
  })
})

describe('the command line', () => {
  it('exits with 2 for what it does not know, and 0 for help and version', async () => {
    expect((await heddle('diss')).status).toBe(2)
    for (const args of [
      ['diss', '--help'],
      ['-h', 'diss'],
    ]) {
      expect(await heddle(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean dis?') })
    }
    expect((await heddle('dis', '--dialect', 'glsl', 'x')).status).toBe(2)
    expect((await heddle('dis')).status).toBe(2)
    expect((await heddle('--help')).status).toBe(0)
    expect((await heddle('--version')).stdout).toBe(`${VERSION}\n`)
    expect(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version).toBe(VERSION)
  })
})

describe('inputs and outputs of the verbs', () => {
  const text = 'cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r0.x, l(1.0)\nret\n'
  const encodings: readonly (readonly [string, Buffer])[] = [
    ['zeros at its end', Buffer.from(`${text}\0\0`)],
    ['a UTF-8 mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])],
    ['UTF-16, low byte first', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, high byte first', Buffer.from(`\ufeff${text}\0`, 'utf16le').swap16()],
  ]

  it.each(encodings)('reads a text with %s', async (_name, bytes) => {
    const [path, plain] = [join(folder, 'encoded.asm'), join(folder, 'plain.asm')]
    writeFileSync(path, bytes)
    writeFileSync(plain, text)
    expect((await heddle('asm', path, '-o', join(folder, 'encoded.dxbc'))).status).toBe(0)
    expect((await heddle('asm', plain, '-o', join(folder, 'plain.dxbc'))).status).toBe(0)
    expect(readFileSync(join(folder, 'encoded.dxbc'))).toEqual(readFileSync(join(folder, 'plain.dxbc')))
  })

  /** A folder with `a/s.dxbc`, `b/s.dxbc` and a file that is no shader. */
  const tree = (name: string): string => {
    const root = join(folder, name)
    for (const [sub, source] of [
      ['a', 'cs/icb'],
      ['b', 'ps/empty'],
    ] as const) {
      mkdirSync(join(root, sub), { recursive: true })
      copyFileSync(shader(source), join(root, sub, 's.dxbc'))
    }
    writeFileSync(join(root, 'a', 'notes.txt'), 'no shader')
    return root
  }

  it('refuse two inputs with one output before anything is written', async () => {
    const root = tree('same')
    const out = join(root, 'out')
    const { status, stderr } = await heddle('dis', join(root, 'a/s.dxbc'), join(root, 'b/s.dxbc'), '--out-dir', out)
    expect(status).toBe(2)
    expect(stderr).toContain(`${join(root, 'a/s.dxbc')} and ${join(root, 'b/s.dxbc')} would both be written`)
    expect(existsSync(out)).toBe(false)
  })

  it('expand folders and patterns and keep the folders below them', async () => {
    const root = tree('tree')
    for (const [i, argument] of [root, join(root, '**/*.dxbc')].entries()) {
      const out = join(folder, `tree-out${i}`)
      expect(await heddle('dis', argument, '--out-dir', out)).toEqual({ status: 0, stdout: '', stderr: '' })
      expect(readFileSync(join(out, 'a/s.asm'), 'latin1')).toBe(listing('cs/icb'))
      expect(readFileSync(join(out, 'b/s.asm'), 'latin1')).toBe(listing('ps/empty'))
    }
    for (const verb of ['validate', 'info', 'hash']) {
      const { status, stdout } = await heddle(verb, '--json', root)
      expect([status, JSON.parse(stdout).length]).toEqual([0, 2])
    }
  })

  it('name patterns and folders without a file, and go on', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const { status, stdout, stderr } = await heddle('dis', join(empty, '*.dxbc'), empty, shader('ps/empty'))
    expect([status, stdout]).toEqual([2, listing('ps/empty')])
    expect(stderr).toContain(`no file matches ${join(empty, '*.dxbc')}`)
    expect(stderr).toContain(`${empty} has no compiled shaders`)
  })

  it('take a file whose name looks like a pattern', async () => {
    const path = join(folder, 'a[1].dxbc')
    copyFileSync(shader('ps/empty'), path)
    expect((await heddle('dis', path)).stdout).toBe(listing('ps/empty'))
  })

  it('say in one sentence why nothing can be written, with exit code 2', async () => {
    const [source, file] = [join(folder, 'w.asm'), join(folder, 'a-file')]
    writeFileSync(source, text)
    writeFileSync(file, '')
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['asm', source, '-o', join(folder, 'no/such/x.dxbc')], /cannot write .*: there is no such folder/],
      [['asm', source, '-o', folder], /cannot write .*: it is a folder/],
      [['dis', shader('ps/empty'), '-o', folder], /cannot write .*: it is a folder/],
      [['dis', shader('ps/empty'), '--out-dir', file], /cannot write .*: a part of the path is a file/],
      [['asm', source, '--out-dir', join(file, 'deeper')], /cannot write .*: a part of the path is a file/],
      ...(existsSync('/dev/full')
        ? ([[['dis', shader('ps/empty'), '-o', '/dev/full'], /cannot write .*: no space is left/]] as const)
        : []),
    ]
    for (const [args, reason] of refusals) {
      const { status, stderr } = await heddle(...args)
      expect(status).toBe(2)
      expect(stderr).toMatch(reason)
    }
  })
})

describe('errors of meaning in a text', () => {
  const text = [
    'cs_5_0',
    'dcl_temps 1',
    'dcl_thread_group 1, 1, 1',
    '',
    '  mov r0.x, r3.x   // undeclared',
    'if_nz r0.x',
    'ret',
    '',
  ].join('\n')

  it.each(['validate', 'asm'])('of heddle %s have the line and a caret', async (verb) => {
    const [path, out] = [join(folder, 'meaning.asm'), join(folder, 'meaning.dxbc')]
    writeFileSync(path, text)
    const { status, stderr } = await heddle(verb, path, ...(verb === 'asm' ? ['-o', out] : []))
    expect(status).toBe(1)
    expect(stderr).toContain(`${path}:5:13: error: r3 is used`)
    expect(stderr).toContain(`5 |   mov r0.x, r3.x   // undeclared\n${' '.repeat(2 + 4 + 12)}^^^^\n`)
    expect(stderr).toContain(`${path}:6:1: error: This if has no endif`)
    if (verb === 'asm') expect(stderr).toContain(`${out} was written, and Direct3D will refuse it`)
  })

  it('of a lossless text have the line too', async () => {
    const [path, broken] = [join(folder, 'meaning-lossless.asm'), join(folder, 'broken.asm')]
    expect((await heddle('dis', '-d', 'lossless', shader('cs/icb'), '-o', path)).status).toBe(0)
    const lines = readFileSync(path, 'latin1')
      .replace(/dcl_temps \d+/, 'dcl_temps 0')
      .split('\n')
    writeFileSync(broken, lines.join('\n'), 'latin1')
    const { status, stderr } = await heddle('validate', broken)
    expect(status).toBe(1)
    const [, line, column] = /:(\d+):(\d+): error: r\d+ is used/.exec(stderr)!
    expect(lines[Number(line) - 1]!.slice(Number(column) - 1)).toMatch(/^-?\|?r\d/)
  })

  it('do not matter to heddle asm --no-validate', async () => {
    const path = join(folder, 'meaning.asm')
    writeFileSync(path, text)
    expect((await heddle('asm', '--no-validate', path, '-o', join(folder, 'meaning.dxbc'))).status).toBe(0)
  })

  it.each([
    ['ps_6_0', 'DXIL'],
    ['vs_3_0', 'Direct3D 9'],
  ])('refuse %s with its reason', async (profile, reason) => {
    const path = join(folder, 'profile.asm')
    writeFileSync(path, `${profile}\nret\n`)
    const { status, stderr } = await heddle('asm', path, '-o', join(folder, 'profile.dxbc'))
    expect([status, readdirSync(folder).includes('profile.dxbc')]).toEqual([1, false])
    expect(stderr).toContain(`${path}:1:1: error: ${profile} is`)
    expect(stderr).toContain(reason)
  })
})
