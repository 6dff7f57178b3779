// Types of arrays with their own buffer that also compile with TypeScript before 5.7, where typed
// arrays have no type parameter. `of` returns the same array under all versions.

export type OwnedBytes = ReturnType<Uint8ArrayConstructor["of"]>;
export type OwnedDoubles = ReturnType<Float64ArrayConstructor["of"]>;
