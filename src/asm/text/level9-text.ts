/** Titles of the Direct3D 9 code in a listing: the listing prints them, the parser skips what follows them. */
export const LEVEL9_TITLES = {
  level9: 'Level9 shader bytecode',
  prepass: 'XNA Prepass shader bytecode',
  xna: 'XNA shader bytecode',
} as const
