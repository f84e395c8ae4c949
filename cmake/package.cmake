# cmake --install, and the one file a café PC installs: cmake --build --preset release --target overboard, then
# cpack in build/release. Neither builds the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(GNUInstallDirs)
install(TARGETS overboard RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY rules physics table calibration simulator bus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/overboard
        FILES_MATCHING PATTERN "*/data/*" PATTERN "*.cpp" EXCLUDE PATTERN "*.hpp" EXCLUDE)
install(FILES packaging/overboard@.service packaging/overboard-rules.service DESTINATION lib/systemd/system)
install(FILES packaging/table.conf packaging/rules.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(manual ${CMAKE_BINARY_DIR}/overboard.1.gz)
add_custom_command(OUTPUT ${manual} COMMAND gzip -9nc ${CMAKE_SOURCE_DIR}/packaging/overboard.1 > ${manual}
                   DEPENDS packaging/overboard.1 VERBATIM)
add_custom_target(manual DEPENDS ${manual})
add_dependencies(overboard manual)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME overboard)
set(CPACK_PACKAGE_CONTACT "The Overboard project <overboard@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "overhead camera, referee and projector for real table games")
set(CPACK_PACKAGE_DESCRIPTION "Watches a real game table from above, keeps to the rules and the score,
and projects both onto the table. Try it without hardware: overboard demo.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "xvfb, espeak-ng, v4l-utils")
set(CPACK_DEBIAN_PACKAGE_SECTION misc)
set(CPACK_STRIP_FILES ON)
include(CPack)
