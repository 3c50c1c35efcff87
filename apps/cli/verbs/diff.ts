export async function diff(_a: string, _b: string, _o: object): Promise<void> {}
