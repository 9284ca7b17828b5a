# Prints what the binaries named as arguments are, as JSON: one object a file. For check.js.
import json
import sys

import lief


def describe(file):
    binary = lief.parse(file)
    described = {
        "format": binary.format.name,
        "libraries": [library if isinstance(library, str) else library.name for library in binary.libraries],
        "exports": sorted({function.name for function in binary.exported_functions}),
    }
    describers = {"ELF": describe_elf, "PE": describe_pe, "MACHO": describe_macho}
    return described | describers[binary.format.name](binary)


def describe_elf(binary):
    undefined = [symbol for symbol in binary.dynamic_symbols if symbol.shndx == 0 and symbol.name]
    tags = (lief.ELF.DynamicEntry.TAG.RPATH, lief.ELF.DynamicEntry.TAG.RUNPATH)
    return {
        "machine": binary.header.machine_type.name,
        "imports": [{"name": s.name, "isWeak": s.binding.name == "WEAK", "version": version_of(s)} for s in undefined],
        "exports": sorted({s.name for s in binary.dynamic_symbols if s.shndx != 0 and s.name}),
        "searched": [str(entry) for entry in binary.dynamic_entries if entry.tag in tags],
        "isStripped": not any(s.name.startswith((".symtab", ".debug")) for s in binary.sections),
    }


def version_of(symbol):
    version = symbol.symbol_version
    return version.symbol_version_auxiliary.name if version and version.has_auxiliary_version else ""


def describe_pe(binary):
    optional = binary.optional_header
    characteristics = lief.PE.OptionalHeader.DLL_CHARACTERISTICS
    return {
        "machine": binary.header.machine.name,
        "imports": [{"name": e.name, "library": i.name.lower()} for i in binary.imports for e in i.entries],
        "searched": [],
        "isStripped": not any(s.name.startswith(".debug") for s in binary.sections) and not list(binary.symbols),
        "isRelocatable": optional.has(characteristics.DYNAMIC_BASE) and optional.has(characteristics.NX_COMPAT),
        "oldest": [optional.major_operating_system_version, optional.minor_operating_system_version],
    }


def describe_macho(binary):
    own_name = lief.MachO.LoadCommand.TYPE.ID_DYLIB
    return {
        "machine": binary.header.cpu_type.name,
        "libraries": [library.name for library in binary.libraries if library.command != own_name],
        "imports": [{"name": s.name.removeprefix("_")} for s in binary.imported_symbols],
        "exports": sorted({s.name.removeprefix("_") for s in binary.exported_symbols}),
        "searched": [rpath.path for rpath in binary.rpaths],
        "isStripped": not any(s.name.startswith("__debug") for s in binary.sections),
        "isSigned": binary.has_code_signature,
        "oldest": list(binary.build_version.minos) if binary.has_build_version else None,
    }


print(json.dumps([describe(file) for file in sys.argv[1:]]))
