internal import DurableEngine
internal import MCPProtocol
internal import OrderedJSON

/// A pinned tool in the form that every client accepts: a name they can call, texts without
/// hidden characters, schemas that are plain objects, and all four hints.
struct ShownDefinition {
    /// The most characters of a description.
    static let descriptionLimit = 1_024
    private static let titleLimit = 200

    let definition: ToolDefinition

    /// The form of an entry, where an operator's word on its effect outranks its server's hints.
    init(_ entry: CatalogueEntry, effect: EffectKind?) {
        let source = entry.pinned.definition
        let title = source.title ?? source.annotations.title
        definition = ToolDefinition(
            name: entry.name,
            title: title.map { VisibleText.cleaned($0, limit: Self.titleLimit) },
            description: VisibleText.cleaned(
                source.description ?? "The tool '\(entry.tool)' of the server '\(entry.upstream)'.",
                limit: Self.descriptionLimit),
            inputSchema: PlainSchema.input(source.inputSchema),
            outputSchema: source.outputSchema.flatMap(PlainSchema.output),
            annotations: Self.hints(source.annotations, effect))
    }

    private static func hints(
        _ claimed: ToolAnnotations, _ effect: EffectKind?
    ) -> ToolAnnotations {
        let readOnly: Bool
        var idempotent = claimed.idempotent ?? false
        switch effect {
        case .pure: readOnly = true
        case .idempotent: (readOnly, idempotent) = (false, true)
        case .external: (readOnly, idempotent) = (false, false)
        case nil: readOnly = claimed.readOnly ?? false
        }
        return ToolAnnotations(
            readOnly: readOnly,
            destructive: readOnly ? false : claimed.destructive ?? true,
            idempotent: readOnly ? true : idempotent,
            openWorld: claimed.openWorld ?? true)
    }
}

/// Text of a stranger, as it may be shown.
enum VisibleText {
    /// Without characters that cannot be seen or that turn the text around, and cut.
    static func cleaned(_ text: String, limit: Int) -> String {
        let visible = cleaned(text)
        return visible.count <= limit ? visible : visible.prefix(limit - 1) + "…"
    }

    /// Without characters that cannot be seen or that turn the text around.
    static func cleaned(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" || scalar == "\t": result.append(scalar)
            case .lineSeparator, .paragraphSeparator: result.append("\n")
            case .control, .format, .privateUse, .surrogate, .unassigned: continue
            default:
                // Variation selectors and fillers hide text too.
                if scalar.properties.isDefaultIgnorableCodePoint { continue }
                result.append(scalar)
            }
        }
        return String(result)
    }
}
