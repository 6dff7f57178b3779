// Types of arrays with memory of their own, in words that TypeScript before 5.7 knows, too: there
// arrays have no type parameter. What `of` gives is the same array under all versions.

export type OwnedBytes = ReturnType<Uint8ArrayConstructor["of"]>;
export type OwnedDoubles = ReturnType<Float64ArrayConstructor["of"]>;
